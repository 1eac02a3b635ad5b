package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.ScheduledContract;

/** Scheduled jobs on Spring Boot 4. */
class ScheduledTest extends ScheduledContract {}
