/** {@link io.leasehold.spring.Locked}: methods of Spring beans that run under a lock. */
@NullMarked
package io.leasehold.spring;

import org.jspecify.annotations.NullMarked;
