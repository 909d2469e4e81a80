package io.verbena.proofs.sockets;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/** JMX over RMI. */
final class Management {

    private Management() {}

    /** What the server offers. */
    public interface ReverseMBean {
        /** The bytes in the reverse order. */
        byte[] reverse(byte[] bytes);
    }

    /** Its implementation. */
    public static final class Reverse implements ReverseMBean {
        @Override
        public byte[] reverse(byte[] bytes) {
            byte[] result = new byte[bytes.length];
            for (int i = 0; i < bytes.length; i++) {
                result[i] = bytes[bytes.length - 1 - i];
            }
            return result;
        }
    }

    /** Prints its address and runs until it is ended. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws Exception {
            ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(new Reverse(), new ObjectName("proofs:type=Reverse"));
            JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                    new JMXServiceURL("service:jmx:rmi://"), null, ManagementFactory.getPlatformMBeanServer());
            server.start();
            System.out.println("address " + server.getAddress());
        }
    }

    /** Calls the server and compares each answer. Arguments: the address and the number of calls. */
    static final class Client {

        private static final int MOST_BYTES = 20_000;

        private Client() {}

        @SuppressWarnings("BanJNDI") // JMX over RMI is what this proves
        public static void main(String[] arguments) throws Exception {
            long bytes = 0;
            try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(arguments[0]))) {
                MBeanServerConnection server = connector.getMBeanServerConnection();
                for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
                    Random random = new Random(i);
                    byte[] request = new byte[random.nextInt(MOST_BYTES)];
                    random.nextBytes(request);
                    byte[] answer = (byte[]) server.invoke(
                            new ObjectName("proofs:type=Reverse"), "reverse", new Object[] {request}, new String[] {"[B"
                            });
                    if (!Arrays.equals(new Reverse().reverse(request), answer)) {
                        throw new AssertionError("call " + i);
                    }
                    bytes += request.length;
                }
            }
            System.out.println("compared " + bytes);
        }
    }
}
