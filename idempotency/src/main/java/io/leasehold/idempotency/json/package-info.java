/** Results as JSON, by the mapper that the application has. */
@NullMarked
package io.leasehold.idempotency.json;

import org.jspecify.annotations.NullMarked;
