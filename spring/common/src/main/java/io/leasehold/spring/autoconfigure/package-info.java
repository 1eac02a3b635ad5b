/** What the starters configure: the client, its store, {@code @Locked}, the endpoint, meters. */
@NullMarked
package io.leasehold.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
