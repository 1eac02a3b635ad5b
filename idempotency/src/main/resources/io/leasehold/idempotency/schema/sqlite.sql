-- Version 1. Instants are microseconds: "kept_until" since 1970, "expires" of the clock that "epoch" names.

-- What is claimed, and what came of it: "kind" is - until then. A claim lives while "expires" lies ahead. What was
-- given back stays until it is purged, so that its token rises.
CREATE TABLE IF NOT EXISTS {claim} (
  name TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  fence INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  -- 1 if this claim took over one that had lapsed.
  taken_over INTEGER NOT NULL,
  epoch TEXT NOT NULL,
  expires INTEGER NOT NULL,
  kept_until INTEGER NOT NULL,
  kind TEXT NOT NULL,
  result BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What was seen, and how often.
CREATE TABLE IF NOT EXISTS {mark} (
  name TEXT NOT NULL PRIMARY KEY,
  times INTEGER NOT NULL,
  kept_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS {claim_kept} ON {claim} (kept_until);
CREATE INDEX IF NOT EXISTS {mark_kept} ON {mark} (kept_until);
