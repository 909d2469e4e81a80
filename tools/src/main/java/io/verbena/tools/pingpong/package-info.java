/**
 * The protocol of libibverbs' ibv_rc_pingpong, ibv_uc_pingpong, ibv_ud_pingpong and ibv_srq_pingpong, both roles. The two
 * programs exchange the addresses of their queue pairs over TCP, connect the queue pairs by hand and send one message back and forth.
 */
@NullMarked
package io.verbena.tools.pingpong;

import org.jspecify.annotations.NullMarked;
