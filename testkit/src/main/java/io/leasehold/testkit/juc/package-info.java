/**
 * What code written against {@code java.util.concurrent.locks} relies on, as tests that any store
 * can run: see {@link io.leasehold.testkit.juc.ReentrantLockBehaviours}.
 */
@NullMarked
package io.leasehold.testkit.juc;

import org.jspecify.annotations.NullMarked;
