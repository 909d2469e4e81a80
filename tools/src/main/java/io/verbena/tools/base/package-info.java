/** Shared parts of the commands: failures, waiting for completions, the end by Ctrl-C, server processes. */
@NullMarked
package io.verbena.tools.base;

import org.jspecify.annotations.NullMarked;
