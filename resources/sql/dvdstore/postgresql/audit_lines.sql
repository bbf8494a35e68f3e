-- The lines of the orders of %(after)s < orderid <= %(to)s as one array in one row: each line is one number, of the
-- order's distance from %(after)s (20 bits), the product (24), the line's number (8) and the quantity (11). Summed up by
-- order here, they would cost the server four times as much as they do so.

SELECT array_agg(
    ((orderid - %(after)s)::bigint << 43)
    | (least(greatest(prod_id, 0), 16777215)::bigint << 19)
    | (least(greatest(orderlineid, 0), 255)::bigint << 11)
    | least(greatest(quantity, 0), 2047)::bigint
)
FROM orderlines WHERE orderid > %(after)s AND orderid <= %(to)s
