package io.verbena.spark;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.apache.spark.util.RpcUtils;
import scala.Function1;
import scala.PartialFunction;
import scala.PartialFunction$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;

/**
 * Where the executors of an application listen, in the driver, and the secret that they present to each other. Executors ask through Spark's
 * RPC, which {@code spark.authenticate} protects. Messages are arrays of strings, which a driver without this jar on its class path could read.
 */
final class ExecutorDirectory implements ThreadSafeRpcEndpoint {

    private static final String NAME = "verbena-shuffle";
    private static final String REGISTER = "register";
    private static final String FIND = "find";
    private static final ClassTag<String[]> STRINGS = ClassTag$.MODULE$.apply(String[].class);

    private final RpcEnv env;
    private final String secret;
    private final Map<String, String[]> executors = new ConcurrentHashMap<>();

    private ExecutorDirectory(RpcEnv env) {
        this.env = env;
        byte[] bytes = new byte[RangeServer.SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        secret = HexFormat.of().formatHex(bytes);
    }

    /** Opens the directory of the application, in the driver. */
    static void open(RpcEnv env) {
        env.setupEndpoint(NAME, new ExecutorDirectory(env));
    }

    @Override
    public RpcEnv rpcEnv() {
        return env;
    }

    @Override
    public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
        Function1<Object, BoxedUnit> answer = message -> {
            if (message instanceof String[] words && words.length == 4 && words[0].equals(REGISTER)) {
                executors.put(words[1], new String[] {words[2], words[3]});
                context.reply(new String[] {secret});
            } else if (message instanceof String[] words && words.length == 2 && words[0].equals(FIND)) {
                context.reply(executors.getOrDefault(words[1], new String[0]));
            } else {
                context.sendFailure(new SparkException("not a request of VerbenaShuffleManager"));
            }
            return BoxedUnit.UNIT;
        };
        return PartialFunction$.MODULE$.fromFunction(answer);
    }

    /** The directory as an executor sees it. */
    static final class Remote implements Peers.Directory {

        private final RpcEndpointRef driver;

        Remote(SparkConf conf, RpcEnv env) {
            driver = RpcUtils.makeDriverRef(NAME, conf, env);
        }

        /** The secret of the application. The executor is not found before {@link #register}. */
        byte[] secret() {
            return HexFormat.of().parseHex(ask(REGISTER, "", "", "")[0]);
        }

        /** States where an executor listens. */
        void register(String executor, InetSocketAddress address) {
            ask(REGISTER, executor, address.getHostString(), String.valueOf(address.getPort()));
        }

        @Override
        public SocketAddress find(String executor) throws IOException {
            String[] found = ask(FIND, executor);
            if (found.length != 2) {
                throw new IOException("executor " + executor + " has not registered for the shuffle");
            }
            return new InetSocketAddress(found[0], Integer.parseInt(found[1]));
        }

        private String[] ask(String... words) {
            return driver.askSync(words, STRINGS);
        }
    }
}
