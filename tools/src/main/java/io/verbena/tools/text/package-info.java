/** What the commands print: JSON, progress bars, figures with units. */
@NullMarked
package io.verbena.tools.text;

import org.jspecify.annotations.NullMarked;
