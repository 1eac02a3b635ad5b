package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.RedisFactoriesContract;

/** On Spring Boot 3, with Jedis and with Lettuce. */
class RedisFactoriesTest extends RedisFactoriesContract {}
