package io.leasehold.idempotency.spi;

/**
 * A claim.
 *
 * @param key what is claimed
 * @param owner who claimed it: an id that is used once, 32 hexadecimal digits
 * @param token higher than that of every earlier claim of the key
 */
public record ClaimId(String key, String owner, long token) {}
