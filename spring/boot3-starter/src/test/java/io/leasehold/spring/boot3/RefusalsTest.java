package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.RefusalsContract;

/** On Spring Boot 3: what is an error at start-up. */
class RefusalsTest extends RefusalsContract {}
