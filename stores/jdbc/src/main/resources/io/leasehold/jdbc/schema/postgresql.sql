-- Version 1. Instants are microseconds since 1970 of the server's clock. A lease, a place is live while "expires" lies ahead.

CREATE TABLE IF NOT EXISTS {meta} (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  -- The version of these tables, and the oldest version of Leasehold that goes with them.
  version INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  -- The highest fence number of any row that was swept away: a new row starts above it.
  floor BIGINT NOT NULL,
  -- The last name that the sweep has looked at.
  swept varchar(255) COLLATE "C" NOT NULL
);

-- Pages are filled to less than half: a change writes the row anew, and so it stays in its page, no index changes, and leases
-- can be renewed although the disk is full.

-- One row for each name that was ever granted, until it is swept: its last fence number, whatever the mode, and its
-- exclusive lease. Released by setting "expires" to 0, so that number and last lease id stay known.
CREATE TABLE IF NOT EXISTS {lock} (
  name varchar(255) COLLATE "C" NOT NULL PRIMARY KEY,
  fence BIGINT NOT NULL,
  lease_id varchar(32) COLLATE "C" NOT NULL,
  holder text NOT NULL,
  granted BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  -- Until then there may be rows in the other tables that an exclusive attempt must look at.
  others_until BIGINT NOT NULL,
  -- Until then another ticket may wait.
  wanted_until BIGINT NOT NULL
) WITH (fillfactor = 45);

-- Shared leases and those with permits, "permits" of "size"; and ids that were withdrawn, for a minute.
CREATE TABLE IF NOT EXISTS {share} (
  name varchar(255) COLLATE "C" NOT NULL,
  lease_id varchar(32) COLLATE "C" NOT NULL,
  fence BIGINT NOT NULL,
  holder text NOT NULL,
  mode varchar(32) COLLATE "C" NOT NULL,
  permits INTEGER NOT NULL,
  size INTEGER NOT NULL,
  granted BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (name, lease_id)
) WITH (fillfactor = 45);

-- Who waits; "place" rises within a name.
CREATE TABLE IF NOT EXISTS {queue} (
  name varchar(255) COLLATE "C" NOT NULL,
  lease_id varchar(32) COLLATE "C" NOT NULL,
  place BIGINT NOT NULL,
  holder text NOT NULL,
  mode varchar(32) COLLATE "C" NOT NULL,
  permits INTEGER NOT NULL,
  size INTEGER NOT NULL,
  fair INTEGER NOT NULL,
  since BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (name, lease_id)
) WITH (fillfactor = 45);
