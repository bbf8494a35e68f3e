-- The lines of the orders of %(after)s < orderid <= %(to)s as one text of whole numbers, one for each line: the order's
-- distance from %(after)s (20 bits), the product (24), the line's number (8) and the quantity (11). Before it, how many
-- lines and the parity of all numbers, for the server may cut the text off.

SELECT count(*), coalesce(bit_xor(line), 0), CAST(group_concat(line) AS BINARY)
FROM (
    SELECT ((orderid - %(after)s) << 43)
        | (least(greatest(prod_id, 0), 16777215) << 19)
        | (least(greatest(orderlineid, 0), 255) << 11)
        | least(greatest(quantity, 0), 2047) AS line
    FROM orderlines WHERE orderid > %(after)s AND orderid <= %(to)s
) l
