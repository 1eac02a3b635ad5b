package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.LeadershipContract;

/** Leader election on Spring Boot 4. */
class LeadershipTest extends LeadershipContract {}
