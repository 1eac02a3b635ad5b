package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.RefusalsContract;

/** On Spring Boot 4: what is an error at start-up. */
class RefusalsTest extends RefusalsContract {}
