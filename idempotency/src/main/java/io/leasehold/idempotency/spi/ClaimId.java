package io.leasehold.idempotency.spi;

/**
 * Identifies a claim.
 *
 * @param key the claimed key
 * @param owner the single-use id of the caller, 32 hexadecimal digits
 * @param token higher than that of every earlier claim of the key
 */
public record ClaimId(String key, String owner, long token) {}
