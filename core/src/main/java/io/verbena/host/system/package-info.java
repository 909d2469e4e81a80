/** The operating system: system calls, threads, files, randomness and the sentences of its errors. */
@NullMarked
package io.verbena.host.system;

import org.jspecify.annotations.NullMarked;
