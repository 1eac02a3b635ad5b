package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.ScheduledContract;

/** Scheduled jobs on Spring Boot 3. */
class ScheduledTest extends ScheduledContract {}
