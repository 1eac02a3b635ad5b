-- Version 1. Instants are microseconds: "kept_until" since 1970, "expires" of the clock that "epoch" names.

-- What is claimed, and what came of it: "kind" is - until then. A claim lives while "expires" lies ahead. What was
-- given back stays until it is purged, so that its token rises.
CREATE TABLE IF NOT EXISTS {claim} (
  name VARBINARY(1024) NOT NULL PRIMARY KEY,
  owner VARCHAR(64) NOT NULL,
  fence BIGINT NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  -- 1 if this claim took over one that had lapsed.
  taken_over BIGINT NOT NULL,
  epoch VARCHAR(64) NOT NULL,
  expires BIGINT NOT NULL,
  kept_until BIGINT NOT NULL,
  kind VARCHAR(64) NOT NULL,
  result VARBINARY(8388608) NOT NULL
);

-- What was seen, and how often.
CREATE TABLE IF NOT EXISTS {mark} (
  name VARBINARY(1024) NOT NULL PRIMARY KEY,
  times BIGINT NOT NULL,
  kept_until BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS {claim_kept} ON {claim} (kept_until);
CREATE INDEX IF NOT EXISTS {mark_kept} ON {mark} (kept_until);
