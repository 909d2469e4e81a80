/** Work queues and completion queues in flat memory, without locks: each field has one writer. */
@NullMarked
package io.verbena.queue;

import org.jspecify.annotations.NullMarked;
