package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.LockedContract;

/** {@code @Locked} on Spring Boot 4. */
class LockedTest extends LockedContract {}
