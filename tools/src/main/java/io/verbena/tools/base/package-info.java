/** What the commands share: failures with a sentence, waiting for completions, the end by Ctrl-C. */
@NullMarked
package io.verbena.tools.base;

import org.jspecify.annotations.NullMarked;
