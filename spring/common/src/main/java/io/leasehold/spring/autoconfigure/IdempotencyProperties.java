package io.leasehold.spring.autoconfigure;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code leasehold.idempotency.*}.
 *
 * @param keep how long results are kept
 * @param claimLife how long a claim lives after its process has died
 * @param paths which requests the HTTP filter looks at, as {@code /payments/*}; none: there is no
 *     filter
 * @param requireKey whether the filter refuses a request without a key
 */
@ConfigurationProperties("leasehold.idempotency")
public record IdempotencyProperties(
    @DefaultValue("1d") Duration keep,
    @DefaultValue("30s") Duration claimLife,
    @DefaultValue List<String> paths,
    @DefaultValue("false") boolean requireKey) {}
