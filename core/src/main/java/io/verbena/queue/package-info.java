/** Work queues and completion queues as flat memory, one writer a field, without a lock. */
@NullMarked
package io.verbena.queue;

import org.jspecify.annotations.NullMarked;
