/** Routes through a fabric: paths that forwarding tables give, engines that compute tables, and the search for credit loops. */
@NullMarked
package io.verbena.fabric.routing;

import org.jspecify.annotations.NullMarked;
