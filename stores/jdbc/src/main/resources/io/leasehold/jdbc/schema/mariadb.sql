-- Version 1. Instants are microseconds since 1970 of the server's clock. A lease, a place is live while "expires" lies ahead.

CREATE TABLE IF NOT EXISTS {meta} (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  -- The version of these tables, and the oldest version of Leasehold that goes with them.
  version INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  -- The highest fence number of any row that was swept away: a new row starts above it.
  floor BIGINT NOT NULL,
  -- The last name that the sweep has looked at.
  swept VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL
) ENGINE = InnoDB;

-- One row for each name that was ever granted, until it is swept: its last fence number, whatever the mode, and its
-- exclusive lease. Released by setting "expires" to 0, so that number and last lease id stay known.
CREATE TABLE IF NOT EXISTS {lock} (
  name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY,
  fence BIGINT NOT NULL,
  lease_id VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  holder VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
  granted BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  -- Until then there may be rows in the other tables that an exclusive attempt must look at.
  others_until BIGINT NOT NULL,
  -- Until then another ticket may wait.
  wanted_until BIGINT NOT NULL
) ENGINE = InnoDB;

-- Shared leases and those with permits, "permits" of "size"; and ids that were withdrawn, for a minute.
CREATE TABLE IF NOT EXISTS {share} (
  name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  lease_id VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fence BIGINT NOT NULL,
  holder VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
  mode VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  permits INTEGER NOT NULL,
  size INTEGER NOT NULL,
  granted BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (name, lease_id)
) ENGINE = InnoDB;

-- Who waits; "place" rises within a name.
CREATE TABLE IF NOT EXISTS {queue} (
  name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  lease_id VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  place BIGINT NOT NULL,
  holder VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
  mode VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  permits INTEGER NOT NULL,
  size INTEGER NOT NULL,
  fair INTEGER NOT NULL,
  since BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (name, lease_id)
) ENGINE = InnoDB;
