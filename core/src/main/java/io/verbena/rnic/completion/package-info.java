/** Completion queues: their cursors, moderation, and groups. */
@NullMarked
package io.verbena.rnic.completion;

import org.jspecify.annotations.NullMarked;
