package io.verbena.hardware.abi;

import static io.verbena.hardware.abi.Convention.COUNT;
import static io.verbena.hardware.abi.Convention.MINUS_ONE;
import static io.verbena.hardware.abi.Convention.POINTER;
import static io.verbena.hardware.abi.Convention.RESULT;
import static io.verbena.hardware.abi.Convention.VALUE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The functions of libibverbs and librdmacm that are called by name, with their parameters: {@code p} is a pointer or another 64-bit
 * value, {@code i} a value of at most 32 bits.
 *
 * <p>Some functions of the C interface are missing here because their names lead to something else: {@code ibv_query_port} by name
 * fills a shorter structure, {@code ibv_poll_cq} and others are inline functions over pointers ({@link ContextOp}).
 */
public enum NativeFunction {
    // libibverbs: devices
    GET_DEVICE_LIST(Library.VERBS, "ibv_get_device_list", POINTER, "p"),
    FREE_DEVICE_LIST(Library.VERBS, "ibv_free_device_list", VALUE, "p"),
    OPEN_DEVICE(Library.VERBS, "ibv_open_device", POINTER, "p"),
    CLOSE_DEVICE(Library.VERBS, "ibv_close_device", MINUS_ONE, "p"),
    QUERY_DEVICE(Library.VERBS, "ibv_query_device", RESULT, "pp"),
    QUERY_PKEY(Library.VERBS, "ibv_query_pkey", MINUS_ONE, "piip"),
    QUERY_GID_TABLE(Library.VERBS, "_ibv_query_gid_table", COUNT, "ppiip"),
    GET_ASYNC_EVENT(Library.VERBS, "ibv_get_async_event", MINUS_ONE, "pp"),
    ACK_ASYNC_EVENT(Library.VERBS, "ibv_ack_async_event", VALUE, "p"),

    // libibverbs: memory
    ALLOC_PD(Library.VERBS, "ibv_alloc_pd", POINTER, "p"),
    DEALLOC_PD(Library.VERBS, "ibv_dealloc_pd", RESULT, "p"),
    REG_MR(Library.VERBS, "ibv_reg_mr_iova2", POINTER, "ppppi"),
    DEREG_MR(Library.VERBS, "ibv_dereg_mr", RESULT, "p"),

    // libibverbs: completion
    CREATE_COMP_CHANNEL(Library.VERBS, "ibv_create_comp_channel", POINTER, "p"),
    DESTROY_COMP_CHANNEL(Library.VERBS, "ibv_destroy_comp_channel", RESULT, "p"),
    CREATE_CQ(Library.VERBS, "ibv_create_cq", POINTER, "pippi"),
    RESIZE_CQ(Library.VERBS, "ibv_resize_cq", RESULT, "pi"),
    DESTROY_CQ(Library.VERBS, "ibv_destroy_cq", RESULT, "p"),
    GET_CQ_EVENT(Library.VERBS, "ibv_get_cq_event", MINUS_ONE, "ppp"),
    ACK_CQ_EVENTS(Library.VERBS, "ibv_ack_cq_events", VALUE, "pi"),

    // libibverbs: queue pairs
    CREATE_SRQ(Library.VERBS, "ibv_create_srq", POINTER, "pp"),
    MODIFY_SRQ(Library.VERBS, "ibv_modify_srq", RESULT, "ppi"),
    DESTROY_SRQ(Library.VERBS, "ibv_destroy_srq", RESULT, "p"),
    CREATE_QP(Library.VERBS, "ibv_create_qp", POINTER, "pp"),
    MODIFY_QP(Library.VERBS, "ibv_modify_qp", RESULT, "ppi"),
    QUERY_QP(Library.VERBS, "ibv_query_qp", RESULT, "ppip"),
    DESTROY_QP(Library.VERBS, "ibv_destroy_qp", RESULT, "p"),
    CREATE_AH(Library.VERBS, "ibv_create_ah", POINTER, "pp"),
    DESTROY_AH(Library.VERBS, "ibv_destroy_ah", RESULT, "p"),
    ATTACH_MCAST(Library.VERBS, "ibv_attach_mcast", RESULT, "ppi"),
    DETACH_MCAST(Library.VERBS, "ibv_detach_mcast", RESULT, "ppi"),

    // librdmacm
    CREATE_EVENT_CHANNEL(Library.CM, "rdma_create_event_channel", POINTER, ""),
    DESTROY_EVENT_CHANNEL(Library.CM, "rdma_destroy_event_channel", VALUE, "p"),
    CREATE_ID(Library.CM, "rdma_create_id", MINUS_ONE, "pppi"),
    DESTROY_ID(Library.CM, "rdma_destroy_id", MINUS_ONE, "p"),
    BIND_ADDR(Library.CM, "rdma_bind_addr", MINUS_ONE, "pp"),
    RESOLVE_ADDR(Library.CM, "rdma_resolve_addr", MINUS_ONE, "pppi"),
    RESOLVE_ROUTE(Library.CM, "rdma_resolve_route", MINUS_ONE, "pi"),
    CONNECT(Library.CM, "rdma_connect", MINUS_ONE, "pp"),
    LISTEN(Library.CM, "rdma_listen", MINUS_ONE, "pi"),
    ACCEPT(Library.CM, "rdma_accept", MINUS_ONE, "pp"),
    REJECT(Library.CM, "rdma_reject", MINUS_ONE, "ppi"),
    ESTABLISH(Library.CM, "rdma_establish", MINUS_ONE, "p"),
    DISCONNECT(Library.CM, "rdma_disconnect", MINUS_ONE, "p"),
    JOIN_MULTICAST(Library.CM, "rdma_join_multicast", MINUS_ONE, "ppp"),
    LEAVE_MULTICAST(Library.CM, "rdma_leave_multicast", MINUS_ONE, "pp"),
    INIT_QP_ATTR(Library.CM, "rdma_init_qp_attr", MINUS_ONE, "ppp"),
    GET_CM_EVENT(Library.CM, "rdma_get_cm_event", MINUS_ONE, "pp"),
    ACK_CM_EVENT(Library.CM, "rdma_ack_cm_event", MINUS_ONE, "p");

    /** The libraries by the names that a package manager gives them for programs; those without a version belong to compilers. */
    public enum Library {
        VERBS("libibverbs.so.1", "libibverbs1"),
        CM("librdmacm.so.1", "librdmacm1");

        private final String file;
        private final String debianPackage;

        Library(String file, String debianPackage) {
            this.file = file;
            this.debianPackage = debianPackage;
        }

        public String file() {
            return file;
        }

        /** The package of Debian and Ubuntu that contains it. */
        public String debianPackage() {
            return debianPackage;
        }
    }

    private final Library library;
    private final String symbol;
    private final Convention convention;
    private final String parameters;

    NativeFunction(Library library, String symbol, Convention convention, String parameters) {
        this.library = library;
        this.symbol = symbol;
        this.convention = convention;
        this.parameters = parameters;
    }

    public Library library() {
        return library;
    }

    public String symbol() {
        return symbol;
    }

    public Convention convention() {
        return convention;
    }

    /** Number of parameters. */
    public int arity() {
        return parameters.length();
    }

    /** Its type for the linker. */
    public FunctionDescriptor descriptor() {
        MemoryLayout[] layouts = parameters
                .chars()
                .mapToObj(kind -> kind == 'p' ? JAVA_LONG : JAVA_INT)
                .toArray(MemoryLayout[]::new);
        boolean wide = convention == POINTER || convention == COUNT;
        return FunctionDescriptor.of(wide ? JAVA_LONG : JAVA_INT, layouts);
    }
}
