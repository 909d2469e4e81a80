/** Charts as SVG: pure functions from values to text, for files that people look at in a browser or a README. */
@NullMarked
package io.verbena.tools.picture;

import org.jspecify.annotations.NullMarked;
