/** The figures of the RNICs of this process and of others of its user: in a browser, and as a table. */
@NullMarked
package io.verbena.tools.observe;

import org.jspecify.annotations.NullMarked;
