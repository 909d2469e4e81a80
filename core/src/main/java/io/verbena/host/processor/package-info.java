/** Handler processors: the threads that run CQ handlers. */
@NullMarked
package io.verbena.host.processor;

import org.jspecify.annotations.NullMarked;
