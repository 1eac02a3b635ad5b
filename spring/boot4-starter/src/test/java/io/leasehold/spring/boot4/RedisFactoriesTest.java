package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.RedisFactoriesContract;

/** On Spring Boot 4, with Jedis and with Lettuce. */
class RedisFactoriesTest extends RedisFactoriesContract {}
