/**
 * A store over several others, of which a majority decides. Not for use from outside.
 *
 * <p>{@link io.leasehold.internal.quorum.Quorums} opens it; {@link
 * io.leasehold.internal.quorum.QuorumStore} is the store, {@link
 * io.leasehold.internal.quorum.QuorumMember} one of those it asks. A request is a class that
 * collects their votes, {@link io.leasehold.internal.quorum.QuorumVotes}.
 */
@NullMarked
package io.leasehold.internal.quorum;

import org.jspecify.annotations.NullMarked;
