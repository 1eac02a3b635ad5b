/**
 * The engine. Not for use from outside: it may change in every release.
 *
 * <p>{@link io.leasehold.internal.Engine} wires it; {@link io.leasehold.internal.NameQueue} is the
 * wait machine of one lock name; {@link io.leasehold.internal.LeaseKeeper} renews and notices loss;
 * {@link io.leasehold.internal.Poller} asks about waiting tickets; {@link
 * io.leasehold.internal.Limbo} withdraws ids whose fate is unknown.
 */
@NullMarked
package io.leasehold.internal;

import org.jspecify.annotations.NullMarked;
