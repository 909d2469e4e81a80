/** What {@code verbena sockets top} shows. */
@NullMarked
package io.verbena.tools.sockets;

import org.jspecify.annotations.NullMarked;
