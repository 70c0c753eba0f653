"""Codes and small networks as C for microcontrollers; codes and indexes need no torch."""

from hypertorus.export.firmware import Firmware as Firmware
from hypertorus.export.firmware import firmware as firmware
from hypertorus.export.folder import write_firmware as write_firmware
from hypertorus.export.from_index import known_of_index as known_of_index
from hypertorus.export.from_model import known_of_model as known_of_model
from hypertorus.export.headers import header_files as header_files
from hypertorus.export.known import Known as Known
from hypertorus.export.known import Labelled as Labelled
from hypertorus.export.network import IntegerNetwork as IntegerNetwork
