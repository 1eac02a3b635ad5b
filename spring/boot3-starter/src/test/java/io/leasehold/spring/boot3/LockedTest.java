package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.LockedContract;

/** {@code @Locked} on Spring Boot 3. */
class LockedTest extends LockedContract {}
