/** Other lock libraries held to our contract, by thin adapters. */
@NullMarked
package io.leasehold.peers;

import org.jspecify.annotations.NullMarked;
