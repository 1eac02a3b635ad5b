-- Version 1. Instants are nanoseconds of the clock that "epoch" names: of one boot of the host, or of the wall clock.

CREATE TABLE leasehold_meta (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  -- The highest fence number of any row that was swept away: a new row starts above it.
  floor INTEGER NOT NULL,
  -- The last name that the sweep has looked at.
  swept TEXT NOT NULL
) STRICT;

INSERT INTO leasehold_meta (one, floor, swept) VALUES (1, 0, '');

-- One row for each name that was ever granted, until it is swept. Live while its epoch is the current one and
-- "expires" lies ahead; released by setting "expires" to now, so that number and last lease id stay known.
CREATE TABLE leasehold_lock (
  name TEXT NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL CHECK (fence BETWEEN 1 AND 9007199254740991),
  lease_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  epoch TEXT NOT NULL,
  granted INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leasehold_waiter (
  name TEXT NOT NULL,
  lease_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  mode TEXT NOT NULL,
  permits INTEGER NOT NULL,
  fair INTEGER NOT NULL,
  epoch TEXT NOT NULL,
  since INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (name, lease_id)
) STRICT, WITHOUT ROWID;
