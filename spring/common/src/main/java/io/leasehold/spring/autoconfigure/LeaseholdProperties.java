package io.leasehold.spring.autoconfigure;

import io.leasehold.Trait;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code leasehold.*}. What is not set has the default of {@link
 * io.leasehold.LockClientBuilder}.
 *
 * @param url the store, as for {@link io.leasehold.Leasehold#connect}; null: a bean of the
 *     application
 * @param bean the name of the bean to keep the locks in, if several can be: a {@code DataSource}, a
 *     {@code LettuceConnectionFactory}, a {@code JedisConnectionFactory} or a {@code
 *     CuratorFramework}
 * @param prefix what the names of the tables, keys or nodes begin with, in a bean of the
 *     application
 * @param createTables whether a client on a {@code DataSource} creates missing tables
 * @param ttl how long the store keeps a lease without renewal
 * @param requestTimeout how long one request to the store may take
 * @param closeTimeout how long the end of the client may take
 * @param closeWaitsForHolders whether the end of the client waits for holders to release
 * @param handOver how long threads of this process may hand a lock over while another one waits
 * @param acceptUnfenced whether a store without fencing tokens is accepted
 * @param require what the store must promise
 * @param leadership the elections in which the application takes part
 */
@ConfigurationProperties("leasehold")
public record LeaseholdProperties(
    @Nullable String url,
    @Nullable String bean,
    @Nullable String prefix,
    @DefaultValue("false") boolean createTables,
    @Nullable Duration ttl,
    @Nullable Duration requestTimeout,
    @Nullable Duration closeTimeout,
    @DefaultValue("false") boolean closeWaitsForHolders,
    @Nullable Duration handOver,
    @DefaultValue("false") boolean acceptUnfenced,
    @DefaultValue Set<Trait> require,
    @DefaultValue List<String> leadership) {}
