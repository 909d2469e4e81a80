/** The requester of a reliable connection: requests, retransmission, and the completer of responses. */
@NullMarked
package io.verbena.ib.request;

import org.jspecify.annotations.NullMarked;
