-- The next number, behind the build's own: after a build, and after a reset.

ALTER TABLE history AUTO_INCREMENT = {next_payment};
