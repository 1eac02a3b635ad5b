-- Version 1. Instants are microseconds: "kept_until" since 1970, "expires" of the clock that "epoch" names.

-- What is claimed, and what came of it: "kind" is - until then. A claim lives while "expires" lies ahead. What was
-- given back stays until it is purged, so that its token rises.
CREATE TABLE IF NOT EXISTS {claim} (
  name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE {collation} NOT NULL PRIMARY KEY,
  owner VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fence BIGINT NOT NULL,
  fingerprint VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- 1 if this claim took over one that had lapsed.
  taken_over BIGINT NOT NULL,
  epoch VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expires BIGINT NOT NULL,
  kept_until BIGINT NOT NULL,
  kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  result MEDIUMBLOB NOT NULL,
  INDEX (kept_until)
) ENGINE = InnoDB;

-- What was seen, and how often.
CREATE TABLE IF NOT EXISTS {mark} (
  name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE {collation} NOT NULL PRIMARY KEY,
  times BIGINT NOT NULL,
  kept_until BIGINT NOT NULL,
  INDEX (kept_until)
) ENGINE = InnoDB;
