import GRDB
import Logging
import ServiceLifecycle
