-- Version 2. Instants are nanoseconds of the clock that "epoch" names: of one boot of the host, or of the wall clock.
-- A row is live while its epoch is the current one and "expires" lies ahead.

-- Of version 1. Without it a process that knows no other modes than exclusive cannot go on.
DROP TABLE IF EXISTS leasehold_waiter;

CREATE TABLE IF NOT EXISTS leasehold_meta (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  -- The highest fence number of any row that was swept away: a new row starts above it.
  floor INTEGER NOT NULL,
  -- The last name that the sweep has looked at.
  swept TEXT NOT NULL
) STRICT;

-- One row for each name that was ever granted, until it is swept: its last fence number, whatever the mode, and its
-- exclusive lease. Released by setting "expires" to now, so that number and last lease id stay known.
CREATE TABLE IF NOT EXISTS leasehold_lock (
  name TEXT NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL CHECK (fence BETWEEN 1 AND 9007199254740991),
  lease_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  epoch TEXT NOT NULL,
  granted INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Shared leases and those with permits, "permits" of "size". What has ended stays until the next such grant of its name.
CREATE TABLE IF NOT EXISTS leasehold_share (
  name TEXT NOT NULL,
  lease_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  holder TEXT NOT NULL,
  mode TEXT NOT NULL,
  permits INTEGER NOT NULL,
  size INTEGER NOT NULL,
  epoch TEXT NOT NULL,
  granted INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (name, lease_id)
) STRICT, WITHOUT ROWID;

-- Who waits; "place" rises within a name.
CREATE TABLE IF NOT EXISTS leasehold_queue (
  name TEXT NOT NULL,
  lease_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  holder TEXT NOT NULL,
  mode TEXT NOT NULL,
  permits INTEGER NOT NULL,
  size INTEGER NOT NULL,
  fair INTEGER NOT NULL,
  epoch TEXT NOT NULL,
  since INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (name, lease_id)
) STRICT, WITHOUT ROWID;
