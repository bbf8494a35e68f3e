-- The next numbers, behind the build's own: after a build, and after a reset. Each statement is a commit of its own.

ALTER TABLE customers AUTO_INCREMENT = {next_customer};
ALTER TABLE orders AUTO_INCREMENT = {next_order};
ALTER TABLE products AUTO_INCREMENT = {next_product};
ALTER TABLE cust_hist AUTO_INCREMENT = {next_history};
ALTER TABLE reorder AUTO_INCREMENT = 1;
