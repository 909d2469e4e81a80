/** Our transport of Netty beside Netty's own. */
@NullMarked
package io.verbena.bench.netty;

import org.jspecify.annotations.NullMarked;
