package io.verbena.fabric.mad;

/** Numbers of management classes, methods, attributes and states. */
public final class Smp {

    /** Class of LID-routed subnet management. */
    public static final int CLASS_LID_ROUTED = 0x01;
    /** Class of subnet administration. */
    public static final int CLASS_ADMINISTRATION = 0x03;
    /** Class of performance management. */
    public static final int CLASS_PERFORMANCE = 0x04;
    /** Class of directed-route subnet management. */
    public static final int CLASS_DIRECTED = 0x81;

    /** Method Get. */
    public static final int GET = 0x01;
    /** Method Set. */
    public static final int SET = 0x02;
    /** Method Trap. */
    public static final int TRAP = 0x05;
    /** Method TrapRepress. */
    public static final int TRAP_REPRESS = 0x07;
    /** Method GetResp without its R bit. */
    public static final int GET_RESP = 0x01;

    /** ClassPortInfo. */
    public static final int CLASS_PORT_INFO = 0x01;
    /** Notice. */
    public static final int NOTICE = 0x02;
    /** NodeDescription. */
    public static final int NODE_DESCRIPTION = 0x10;
    /** NodeInfo. */
    public static final int NODE_INFO = 0x11;
    /** SwitchInfo. */
    public static final int SWITCH_INFO = 0x12;
    /** GUIDInfo. */
    public static final int GUID_INFO = 0x14;
    /** PortInfo. */
    public static final int PORT_INFO = 0x15;
    /** P_KeyTable. */
    public static final int P_KEY_TABLE = 0x16;
    /** SLtoVLMappingTable. */
    public static final int SL_TO_VL = 0x17;
    /** VLArbitrationTable. */
    public static final int VL_ARBITRATION = 0x18;
    /** LinearForwardingTable. */
    public static final int LINEAR_FORWARDING = 0x19;
    /** MulticastForwardingTable. */
    public static final int MULTICAST_FORWARDING = 0x1b;
    /** SMInfo. */
    public static final int SM_INFO = 0x20;
    /** PortCounters of performance management. */
    public static final int PORT_COUNTERS = 0x12;
    /** PortCountersExtended of performance management. */
    public static final int PORT_COUNTERS_EXTENDED = 0x1d;

    /** Status: class or version not supported. */
    public static final int BAD_VERSION = 0x04;
    /** Status: method not supported. */
    public static final int BAD_METHOD = 0x08;
    /** Status: attribute not supported by the method. */
    public static final int BAD_ATTRIBUTE = 0x0c;
    /** Status: a value of a field is not valid. */
    public static final int BAD_VALUE = 0x1c;

    /** PortState: no link. */
    public static final int DOWN = 1;
    /** PortState: management packets only. */
    public static final int INITIALIZE = 2;
    /** PortState: data is received but not sent. */
    public static final int ARMED = 3;
    /** PortState: in operation. */
    public static final int ACTIVE = 4;
    /** PortPhysicalState: searches for a peer. */
    public static final int POLLING = 2;
    /** PortPhysicalState: disabled by management. */
    public static final int DISABLED = 3;
    /** PortPhysicalState: connected. */
    public static final int LINK_UP = 5;

    private Smp() {}
}
