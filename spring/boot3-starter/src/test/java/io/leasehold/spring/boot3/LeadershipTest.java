package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.LeadershipContract;

/** Leader election on Spring Boot 3. */
class LeadershipTest extends LeadershipContract {}
