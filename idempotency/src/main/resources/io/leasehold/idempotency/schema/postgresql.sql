-- Version 1. Instants are microseconds: "kept_until" since 1970, "expires" of the clock that "epoch" names.

-- What is claimed, and what came of it: "kind" is - until then. A claim lives while "expires" lies ahead. What was
-- given back stays until it is purged, so that its token rises.
CREATE TABLE IF NOT EXISTS {claim} (
  name varchar(255) COLLATE "C" NOT NULL PRIMARY KEY,
  owner varchar(64) COLLATE "C" NOT NULL,
  fence BIGINT NOT NULL,
  fingerprint varchar(64) COLLATE "C" NOT NULL,
  -- 1 if this claim took over one that had lapsed.
  taken_over BIGINT NOT NULL,
  epoch varchar(64) COLLATE "C" NOT NULL,
  expires BIGINT NOT NULL,
  kept_until BIGINT NOT NULL,
  kind varchar(64) COLLATE "C" NOT NULL,
  result bytea NOT NULL
);

-- What was seen, and how often.
CREATE TABLE IF NOT EXISTS {mark} (
  name varchar(255) COLLATE "C" NOT NULL PRIMARY KEY,
  times BIGINT NOT NULL,
  kept_until BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS {claim_kept} ON {claim} (kept_until);
CREATE INDEX IF NOT EXISTS {mark_kept} ON {mark} (kept_until);
