package io.verbena.hardware.abi;

import io.verbena.hardware.abi.cm.RdmaCmEvent;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.abi.cm.RdmaConnParam;
import io.verbena.hardware.abi.cm.RdmaEventChannel;
import java.util.List;

/** All structures, for tests. */
public final class Structs {

    public static final List<Struct> VERBS = List.of(
            IbvDevice.STRUCT,
            IbvContext.STRUCT,
            IbvDeviceAttr.STRUCT,
            IbvPortAttr.STRUCT,
            IbvGidEntry.STRUCT,
            IbvAhAttr.STRUCT,
            IbvPd.STRUCT,
            IbvMr.STRUCT,
            IbvMw.STRUCT,
            IbvMwBind.STRUCT,
            IbvCompChannel.STRUCT,
            IbvCq.STRUCT,
            IbvSrq.STRUCT,
            IbvQp.STRUCT,
            IbvQpCap.STRUCT,
            IbvQpInitAttr.STRUCT,
            IbvQpAttr.STRUCT,
            IbvSrqAttr.STRUCT,
            IbvSrqInitAttr.STRUCT,
            IbvModifyCqAttr.STRUCT,
            IbvSge.STRUCT,
            IbvSendWr.STRUCT,
            IbvRecvWr.STRUCT,
            IbvAsyncEvent.STRUCT,
            IbvWc.STRUCT);

    public static final List<Struct> CM =
            List.of(RdmaEventChannel.STRUCT, RdmaCmId.STRUCT, RdmaConnParam.STRUCT, RdmaCmEvent.STRUCT);

    private Structs() {}
}
